/**
 * Words in verification phrases: common, easy to spell and harmless. No digits, names, brands or places, and no word
 * that contains another which a text filter blocks (`grape`, `shell`, `compass` are left out).
 */
export const phraseWords: readonly string[] = `
acorn almond amber anchor anthill apple apron armchair artist atlas autumn avocado
bagel bakery balcony balloon bamboo banjo banner barley barn basil basket beach
beacon bell bench berry bicycle biscuit blanket blossom boat bookcase bottle bouquet
bowl branch bread breeze brick bridge broccoli brook broom brush bubble bucket
cabin cactus camel camera campfire candle canoe canvas canyon caramel caravan carpet
carrot cart castle cedar cello chair chalk cheese chess chimney cinema circle
citrus clarinet clay cliff clock cloud clover coast comet cookie copper cottage
cradle crayon creek cricket crown crystal cupboard curtain cushion desert desk diamond
dolphin donut doorbell dragon drum duckling eagle easel echo elm ember engine
evening falcon feather fence ferry fiddle field finch firefly flag flamingo flower
flute forest fountain fox frame galaxy garden garlic gate giraffe glacier globe
glove goose granite guitar hammock harbor harp harvest hazel hedge helmet heron
hill horizon island jacket jigsaw jungle kayak kettle kite kiwi koala ladder
lagoon lake lamp lantern lemon lighthouse lime lizard llama lobster locket lunch
magnet mango maple marble market meadow mitten moon moose morning mosaic moss
mountain muffin museum napkin nectar nest noodle oak oasis ocean olive onion
orange orbit orchard otter owl paddle palace panda pancake paper parade parrot
pasta path pear pebble pelican pencil penguin pepper piano picnic pillow pine
planet plaza plum pocket pond pony poplar porch prairie puddle pumpkin puzzle
quartz quilt rabbit radio radish rain rainbow raisin raven reef ribbon rice
river road roof rope saddle sail salad salmon sand sandal scarf seagull
season shadow shelf shore silver skate sky sled slipper soap sofa soup
sparrow spinach sponge spring spruce stadium star statue stone storm stream street
summer sunrise sunset swan table tent theater thimble thunder tiger toast tomato
towel tower tractor trail train tree tulip tunnel turtle umbrella valley
vanilla velvet village violet violin volcano waffle wagon walrus waterfall wave whale
wheat wheel whistle willow window winter wizard wool yarn yogurt zebra zephyr
`
  .trim()
  .split(/\s+/);

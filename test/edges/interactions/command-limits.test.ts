import { container } from '@sapphire/framework';
import { expect } from 'chai';
import { type ApplicationCommandOptionData, ApplicationCommandOptionType } from 'discord.js';
import { groupAddress } from '../../../src/core/groups/group-reference.js';
import { guildSettings } from '../../../src/core/settings/guild-settings.js';
import { longestAgeDays } from '../../../src/features/mappings/condition.js';

/** A subcommand's options by name, as Discord has them. */
async function optionsOf(command: string, subcommand: string): Promise<Map<string, ApplicationCommandOptionData>> {
  const registered = await container.client.application?.commands.fetch();
  const part = registered?.find(({ name }) => name === command)?.options.find(({ name }) => name === subcommand);
  if (part?.type !== ApplicationCommandOptionType.Subcommand) throw new Error(`There is no /${command} ${subcommand}.`);
  return new Map((part.options ?? []).map((option) => [option.name, option as ApplicationCommandOptionData]));
}

describe('The limits of options', () => {
  it('The options of /settings have the limits of the settings', async () => {
    const subjects = await Promise.all(['set', 'restrictions', 'resync'].map((name) => optionsOf('settings', name)));
    for (const { size } of subjects) expect(size, 'leaves room for a further option').to.be.within(1, 24);
    const options = new Map(subjects.flatMap((each) => [...each]));
    const { verification, nickname, massRemoval } = guildSettings.shape;
    expect(options.get('minimum_account_age')).to.include({
      minValue: 0,
      maxValue: verification.shape.minimumAccountAgeDays.maxValue,
    });
    expect(options.get('nickname_template')).to.include({ maxLength: nickname.shape.template.maxLength });
    expect(options.get('mass_removal_percent')).to.include({
      minValue: massRemoval.shape.sharePercent.minValue,
      maxValue: massRemoval.shape.sharePercent.maxValue,
    });
    expect(options.get('resync_every_hours'), '0 stands for none').to.include({ minValue: 0, maxValue: 168 });
    expect(options.get('language')).to.have.deep.nested.property('choices[1].value', 'de');
    const join = await optionsOf('settings', 'join');
    expect(join.get('text')).to.include({ maxLength: guildSettings.shape.joinMessage.shape.text.unwrap().maxLength });
  });

  it('The options of /group and /mapping have the limits of groups and mappings', async () => {
    expect((await optionsOf('group', 'add')).get('group')).to.include({ maxLength: groupAddress.maxLength });
    const mapping = await optionsOf('mapping', 'add');
    expect(mapping.get('days')).to.include({ minValue: 1, maxValue: longestAgeDays });
    expect(mapping.get('name')).to.include({ maxLength: 100 });
  });
});

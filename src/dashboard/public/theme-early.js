// Sets the colour scheme before anything is drawn, so that nobody who chose the dark one sees a flash.
(() => {
  let wish = 'auto';
  try {
    wish = localStorage.getItem('mantine-color-scheme-value') ?? 'auto';
  } catch {
    // A browser that keeps nothing goes by the system.
  }
  const dark = wish === 'dark' || (wish !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  document.documentElement.setAttribute('data-mantine-color-scheme', dark ? 'dark' : 'light');
})();

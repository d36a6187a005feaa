// Runs before anything is drawn, so that nobody who works in the dark sees a white flash.
;(() => {
  let wanted = 'auto'
  try {
    wanted = localStorage.getItem('postroom-scheme') || 'auto'
  } catch {
    // Storage may be closed to us; the system decides then.
  }
  const dark = wanted === 'dark' || (wanted !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches)
  document.documentElement.setAttribute('data-mantine-color-scheme', dark ? 'dark' : 'light')
})()

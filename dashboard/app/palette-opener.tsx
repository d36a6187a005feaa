import { useEffect } from 'react'
import { lazyPart } from '../lib/load-part.ts'
import { useSignal } from '../lib/signal.ts'
import { SearchIcon } from '../ui/icons.tsx'
import { paletteAsked } from './palette-asked.ts'
import classes from './palette-opener.module.css'

const Palette = lazyPart(() => import('./palette.tsx'))
const APPLE = /Mac|iPhone|iPad/.test(navigator.platform)

/** The button of the palette; Ctrl or Cmd and K open it from anywhere, out of fields too. */
export function PaletteOpener() {
  const asked = useSignal(paletteAsked)
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey) return
      event.preventDefault()
      paletteAsked.set(!paletteAsked.get())
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [])
  return (
    <>
      <button type="button" className={classes.open} onClick={() => paletteAsked.set(true)}>
        <SearchIcon size={15} />
        Find anything
        <span className={classes.keys} data-keys={APPLE ? '⌘K' : 'Ctrl K'} />
      </button>
      {asked && <Palette onClose={() => paletteAsked.set(false)} />}
    </>
  )
}

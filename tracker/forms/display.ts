import { dress } from './fill.ts'

const DAY_MS = 86_400_000
const SECOND_MS = 1_000
const STYLE = `
dialog{box-sizing:border-box;width:min(26rem,calc(100vw - 2rem));padding:1.75rem;color:#17181c;background:#fff;border:0;border-radius:.75rem;box-shadow:0 8px 40px rgb(0 0 0/.25)}
dialog::backdrop{background:rgb(0 0 0/.45)}
dialog.slide-in{position:fixed;inset:auto 1rem 1rem auto;margin:0;z-index:2147483000}
.close{position:absolute;top:.25rem;right:.25rem;width:2.5rem;height:2.5rem;font:1.25rem/1 sans-serif;color:inherit;background:transparent;border:0;border-radius:.5rem;cursor:pointer}
@media(prefers-color-scheme:dark){dialog{color:#ededf0;background:#141518}}`

/**
 * Shows a form by itself: `data-show` `popup`, over the page, or `slide-in`, in its corner; after `data-after` seconds, at
 * `data-scroll` percent of the page, or with `data-exit` when the pointer leaves it, whichever comes first; at once without any.
 * Once in `data-every` days (30), and never again to who has filled it in.
 */
export function show(
  place: HTMLElement,
  key: string,
  fill: (inside: HTMLElement, done: () => void) => Promise<void>,
): void {
  const { show: how, after, scroll, exit, every = '30' } = place.dataset
  const name = `pr_f.${key}`
  const [seen, isDone] = (read(name) ?? '').split(' ')
  if (isDone || Date.now() - Number(seen || 0) < Number(every) * DAY_MS) return
  let isShown = false

  const open = async () => {
    if (isShown) return
    isShown = true
    removeEventListener('scroll', onScroll)
    document.removeEventListener('mouseout', onLeave)
    const inside = document.createElement('div')
    await fill(inside, () => write(name, `${Date.now()} done`))
    // A form that there is not, or not for this page, shows nothing.
    if (!inside.shadowRoot) return
    write(name, String(Date.now()))
    const root = place.attachShadow({ mode: 'open' })
    dress(root, STYLE)
    const dialog = document.createElement('dialog')
    const close = document.createElement('button')
    close.className = 'close'
    close.textContent = '×'
    close.setAttribute('aria-label', inside.dataset.close ?? 'Close')
    close.addEventListener('click', () => dialog.close())
    dialog.className = how!
    dialog.setAttribute('aria-label', inside.dataset.label ?? '')
    dialog.append(close, inside)
    root.append(dialog)
    if (how === 'popup') dialog.showModal()
    else dialog.show()
  }
  const onScroll = () => {
    const { scrollHeight, clientHeight } = document.documentElement
    if (scrollY + clientHeight >= (scrollHeight * Number(scroll)) / 100) void open()
  }
  const onLeave = (event: MouseEvent) => {
    if (!event.relatedTarget && event.clientY <= 0) void open()
  }
  if (scroll) addEventListener('scroll', onScroll, { passive: true })
  if (exit !== undefined) document.addEventListener('mouseout', onLeave)
  if (after || (!scroll && exit === undefined)) setTimeout(open, Number(after ?? 0) * SECOND_MS)
}

function read(name: string): string | null {
  try {
    return localStorage.getItem(name)
  } catch {
    return null
  }
}

function write(name: string, text: string): void {
  try {
    localStorage.setItem(name, text)
  } catch {
    // The browser keeps nothing for this site.
  }
}

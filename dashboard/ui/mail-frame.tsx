import { type ReactNode, type RefObject, useCallback, useEffect, useRef, useState } from 'react'
import { documentOf, FRAME } from './mail-document.ts'
import classes from './mail-frame.module.css'
import { type ElementMover, MailGlass } from './mail-glass.tsx'
import { become } from './mail-nodes.ts'

const HEIGHT_MIN = 240
const PHONE_PX = 375
/** What a mail must not bring into the frame, whose policy would refuse most of it anyway. */
const KEPT_OUT = 'script,link,base,meta[http-equiv],iframe,object,embed'

/** Where a mail is shown, and how often it has changed there. */
export type Place = { frame: RefObject<HTMLIFrameElement | null>; draws: number }

type Look = {
  /** As on a phone, 375 px wide. */
  phone?: boolean
  /** As a reader sees it whose system is dark, or whose program turns all colours over by itself: about so, each does it its own way. */
  dark?: boolean | 'forced'
  /** Where the element that is framed begins in the mail's source: the server has marked each. */
  marked?: number | null
  /** Chooses the element that is clicked, by where it begins; the mail's links do nothing then. */
  onPick?: (begin: number) => void
  /** Moves elements to where they are dragged. */
  mover?: ElementMover | undefined
  /** A layer that lies over the mail; it is asked for anew when what is seen has changed, or its places. */
  over?: (place: Place) => ReactNode
}

/**
 * A mail as it was written, in a document of its own that runs nothing, sends nothing and follows nothing. Its links are
 * opened by the page around it.
 */
export function MailFrame({
  html,
  title,
  phone = false,
  dark = false,
  marked = null,
  onPick,
  mover,
  over,
}: { html: string; title: string } & Look) {
  const frame = useRef<HTMLIFrameElement>(null)
  const [height, setHeight] = useState(HEIGHT_MIN)
  const [loads, setLoads] = useState(0)
  const [draws, setDraws] = useState(0)
  /** A frame that was written as this, and takes another mail of the same look as changes to it. */
  const written = useRef<{ loads: number; dark: Look['dark'] }>(undefined)
  const onLoad = useCallback(() => setLoads((count) => count + 1), [])
  useEffect(() => {
    const inner = loads === 0 ? null : documentOf(frame.current)
    if (inner === null) return
    write(inner, html, written.current?.loads === loads && written.current.dark === dark)
    written.current = { loads, dark }
    showAs(inner, dark === true)
    turnOver(inner, dark === 'forced')
    const measure = () => {
      setHeight(Math.max(HEIGHT_MIN, Math.ceil(inner.documentElement.getBoundingClientRect().height)))
      setDraws((count) => count + 1)
    }
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(inner.documentElement)
    inner.addEventListener('click', openLink)
    return () => {
      observer.disconnect()
      inner.removeEventListener('click', openLink)
    }
  }, [html, dark, loads])
  const width = phone ? { width: PHONE_PX } : {}
  return (
    <div className={classes.stage} data-phone={phone || undefined}>
      <div className={classes.mail} style={width}>
        <iframe
          ref={frame}
          src={FRAME}
          title={title}
          sandbox="allow-same-origin allow-popups"
          onLoad={onLoad}
          style={{ height, colorScheme: dark === true ? 'dark' : 'light' }}
        />
        {over?.({ frame, draws })}
        {onPick && <MailGlass {...{ frame, draws, marked, onPick, mover }} />}
      </div>
    </div>
  )
}

/** Colours that were chosen for a look stay in rules that were read: another look is written anew. */
function write(inner: Document, html: string, isSameLook: boolean): void {
  const Parser = (inner.defaultView as (Window & typeof globalThis) | null)?.DOMParser ?? DOMParser
  const parsed = new Parser().parseFromString(html, 'text/html')
  for (const element of parsed.querySelectorAll(KEPT_OUT)) element.remove()
  for (const link of parsed.querySelectorAll('a[href]')) {
    link.setAttribute('target', '_blank')
    link.setAttribute('rel', 'noopener noreferrer')
  }
  if (isSameLook) become(inner.documentElement, parsed.documentElement)
  else inner.replaceChild(inner.adoptNode(parsed.documentElement), inner.documentElement)
}

const HTTP = /^https?:\/\//i

function openLink(event: Event): void {
  const link = (event.target as Element | null)?.closest?.('a[href]')
  if (!link) return
  event.preventDefault()
  const href = link.getAttribute('href') ?? ''
  if (HTTP.test(href)) open(href, '_blank', 'noopener,noreferrer')
}

/** By the mail's own rules for dark readers: no engine lets a frame's scheme be chosen in the same way. */
function showAs(inner: Document, dark: boolean): void {
  for (const sheet of inner.styleSheets) {
    for (const rule of sheet.cssRules) {
      if (!('media' in rule)) continue
      const { media } = rule as CSSMediaRule
      media.mediaText = media.mediaText
        .replaceAll(/\(prefers-color-scheme:\s*dark\)/gi, dark ? '(min-width: 0px)' : '(max-width: 0px)')
        .replaceAll(/\(prefers-color-scheme:\s*light\)/gi, dark ? '(max-width: 0px)' : '(min-width: 0px)')
    }
  }
}

const TURNED = 'invert(1) hue-rotate(180deg)'

/** Light becomes dark, its hue stays; pictures are turned back. */
function turnOver({ documentElement: root }: Document, isTurned: boolean): void {
  const ground = root.ownerDocument.body
  root.style.filter = isTurned ? TURNED : ''
  if (isTurned) root.style.backgroundColor ||= ground.style.backgroundColor || 'white'
  for (const picture of root.querySelectorAll('img')) picture.style.filter = isTurned ? TURNED : ''
}

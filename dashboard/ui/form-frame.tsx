import { useEffect, useRef, useState } from 'react'
import classes from './mail-frame.module.css'

const FRAME = '/app/frame/form'

/** `''` where it stands in a page. */
export type FormShow = '' | 'popup' | 'slide-in'

type Props = { definition: Record<string, unknown>; how: FormShow; title: string; height: number }

/** A sign-up form as other sites show it, by the script that they have, in a page of no origin that sends nothing. */
export function FormFrame({ definition, how, title, height }: Props) {
  const frame = useRef<HTMLIFrameElement>(null)
  const [isReady, setReady] = useState(false)
  useEffect(() => {
    const onMessage = ({ source }: MessageEvent) => {
      if (source !== null && source === frame.current?.contentWindow) setReady(true)
    }
    addEventListener('message', onMessage)
    return () => removeEventListener('message', onMessage)
  }, [])
  useEffect(() => {
    // The page has no origin that could be named.
    if (isReady) frame.current?.contentWindow?.postMessage({ definition, how }, '*')
  }, [isReady, definition, how])
  return (
    <div className={classes.stage}>
      <iframe ref={frame} src={FRAME} title={title} sandbox="allow-scripts allow-forms" style={{ height }} />
    </div>
  )
}

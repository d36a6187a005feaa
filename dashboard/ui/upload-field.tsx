import { type ReactNode, useEffect, useRef, useState } from 'react'
import { isProblem, type SiteProblem } from '../lib/problem.ts'
import { Button } from './controls.tsx'
import { FileField } from './file-field.tsx'
import { FormProblem } from './form-problem.tsx'
import { Notice } from './notice.tsx'
import classes from './upload-field.module.css'

const MIB = 1_048_576

/** What the request of an upload takes, to tell how far it is and to be stopped. */
export type Sending = { signal: AbortSignal; onSent: (bytes: number) => void }

type Props = {
  label: string
  accept: string
  bytesMax: number
  /** What else there is to do with a file that has more bytes. */
  otherwise?: (file: File) => ReactNode
  send: (file: File, sending: Sending) => Promise<unknown>
}

/** A file that is sent as soon as it is chosen: how much of it has gone is seen, and it can be stopped. It stops with the page. */
export function UploadField({ label, accept, bytesMax, otherwise, send }: Props) {
  const [under, setUnder] = useState<{ file: File; sent: number }>()
  const [tooLarge, setTooLarge] = useState<File>()
  const [problem, setProblem] = useState<SiteProblem>()
  const stopping = useRef<AbortController>(undefined)
  useEffect(() => () => stopping.current?.abort(), [])
  const take = async (file: File) => {
    setProblem(undefined)
    setTooLarge(file.size > bytesMax ? file : undefined)
    if (file.size > bytesMax) return
    stopping.current = new AbortController()
    const { signal } = stopping.current
    setUnder({ file, sent: 0 })
    try {
      await send(file, { signal, onSent: (sent) => setUnder({ file, sent: Math.min(sent, file.size) }) })
    } catch (error) {
      if (signal.aborted) return
      if (!isProblem(error)) throw error
      setProblem(error)
    } finally {
      setUnder(undefined)
    }
  }
  return (
    <>
      <FileField label={label} accept={accept} busy={under !== undefined} onFile={take} />
      {under && <Progress {...under} onStop={() => stopping.current?.abort()} />}
      {tooLarge && (
        <Notice tone="bad">
          {tooLarge.name} has {mebibytes(tooLarge.size)} MiB; at most {mebibytes(bytesMax)} MiB are taken here.
        </Notice>
      )}
      {tooLarge && otherwise?.(tooLarge)}
      {problem && <FormProblem problem={problem} />}
    </>
  )
}

const mebibytes = (bytes: number) => Math.ceil(bytes / MIB)

function Progress({ file, sent, onStop }: { file: File; sent: number; onStop: () => void }) {
  const isSent = sent === file.size
  return (
    <div className={classes.progress}>
      <progress max={file.size} value={sent} aria-label={`Upload of ${file.name}`} />
      <p className="soft">
        {isSent
          ? `${file.name} has arrived, and is stored.`
          : `${mebibytes(sent)} of ${mebibytes(file.size)} MiB of ${file.name} have gone. Stay on this page.`}
      </p>
      <Button onClick={onStop}>Stop</Button>
    </div>
  )
}

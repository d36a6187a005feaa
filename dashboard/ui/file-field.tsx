import { type DragEvent, useId, useRef, useState } from 'react'
import { Button } from './controls.tsx'
import classes from './file-field.module.css'
import { UploadIcon } from './icons.tsx'

/** A file by dropping it, or by choosing it. */
export function FileField({
  label,
  accept,
  busy = false,
  onFile,
}: {
  label: string
  accept: string
  busy?: boolean
  onFile: (file: File) => void
}) {
  const [isOver, setOver] = useState(false)
  const input = useRef<HTMLInputElement>(null)
  const id = useId()
  const drop = (event: DragEvent) => {
    event.preventDefault()
    setOver(false)
    const [file] = event.dataTransfer.files
    if (file && !busy) onFile(file)
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping is a second way; the button is the first
    <div
      className={classes.place}
      data-over={isOver || undefined}
      onDragOver={(event) => {
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <UploadIcon size={20} />
      <label htmlFor={id}>{label}</label>
      <input
        ref={input}
        id={id}
        type="file"
        accept={accept}
        className="visually-hidden"
        tabIndex={-1}
        onChange={(event) => {
          const [file] = event.currentTarget.files ?? []
          if (file) onFile(file)
          event.currentTarget.value = ''
        }}
      />
      <Button busy={busy} onClick={() => input.current?.click()}>
        Choose a file
      </Button>
    </div>
  )
}

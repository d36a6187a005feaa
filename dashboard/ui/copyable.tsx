import { useState } from 'react'
import { CheckIcon, CopyIcon } from './icons.tsx'

const SAID_MS = 1_500

/** A value that programs use, with a button that copies it and says so. */
export function Copyable({
  text,
  label = text,
  what = text,
  plain = false,
}: {
  text: string
  label?: string
  what?: string
  plain?: boolean
}) {
  return (
    <span className="copyable">
      {plain ? <span>{label}</span> : <code>{label}</code>}
      <CopyButton text={text} what={what} />
    </span>
  )
}

/** Copies a text, and says so. */
export function CopyButton({ text, what }: { text: string; what: string }) {
  const [copied, setCopied] = useState(false)
  const copy = async () => {
    await copyText(text)
    setCopied(true)
    setTimeout(() => setCopied(false), SAID_MS)
  }
  return (
    <>
      <button type="button" className="copy" onClick={copy} aria-label={`Copy ${what}`}>
        {copied ? <CheckIcon size={14} /> : <CopyIcon size={14} />}
      </button>
      <span className="visually-hidden" role="status">
        {copied ? 'Copied' : ''}
      </span>
    </>
  )
}

/** Over plain http, which has no clipboard, by the way of old. */
export async function copyText(text: string): Promise<void> {
  if (navigator.clipboard) return navigator.clipboard.writeText(text)
  const field = document.createElement('textarea')
  field.value = text
  document.body.append(field)
  field.select()
  document.execCommand('copy')
  field.remove()
}

import { useRef } from 'react'
import { newKey } from './site.ts'

/** Keys of one form's act: the same content sent again is the same act, changed content is another. */
export function useActKey(): (content: unknown) => string {
  const last = useRef({ text: '', key: '' })
  return (content) => {
    const text = JSON.stringify(content)
    if (text !== last.current.text) last.current = { text, key: newKey() }
    return last.current.key
  }
}

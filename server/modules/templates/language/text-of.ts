import { SafeHtml } from './safe-html.ts'

/** A value as it is written. Objects have no text of their own. */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value
  if (value === null || value === undefined) return ''
  if (value instanceof SafeHtml) return value.html
  if (Array.isArray(value)) return value.map(textOf).join('')
  return typeof value === 'object' || typeof value === 'function' ? '' : String(value)
}

import { type Html, html } from '../../platform/html.ts'

export function mailboxPath(slug: string): string {
  return `/app/mailbox/${slug}`
}

export function mailPath(slug: string, id: string): string {
  return `${mailboxPath(slug)}/${id}`
}

export function mailsText(count: number): string {
  return count === 1 ? '1 message' : `${count} messages`
}

/** In UTC, which `LOCAL_TIMES` makes the reader's own zone where scripts run. */
export function timeTag(rfc3339: string): Html {
  const text = `${rfc3339.slice(0, 10)} ${rfc3339.slice(11, 19)} UTC`
  return html`<time datetime="${rfc3339}" title="${text}">${text}</time>`
}

/**
 * Times as the reader's own clock has them, in the English of where their browser is from, as the dashboard writes it; those of today
 * without the date. UTC stays on hover.
 */
export const LOCAL_TIMES = `
function showLocalTimes() {
  const region = new Intl.Locale(Intl.DateTimeFormat().resolvedOptions().locale).maximize().region ?? 'GB'
  const english = Intl.DateTimeFormat('en-' + region).resolvedOptions().locale === 'en' ? 'en-GB' : 'en-' + region
  for (const time of document.querySelectorAll('time')) {
    const at = new Date(time.dateTime), isToday = at.toDateString() === new Date().toDateString()
    time.textContent = at.toLocaleString(english, isToday ? { timeStyle: 'short' } : { dateStyle: 'medium', timeStyle: 'short' })
  }
}
showLocalTimes()`

export function bytesText(bytes: number): string {
  if (bytes < 1_024) return `${bytes} B`
  const kilobytes = bytes / 1_024
  return kilobytes < 1_024 ? `${Math.round(kilobytes)} KB` : `${(kilobytes / 1_024).toFixed(1)} MB`
}

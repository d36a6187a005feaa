import { LABEL_CHARS_MAX, labelsFault, NAME_CHARS_MAX, type NameJudgement } from '../../platform/net/domain-name.ts'

const DKIM_LABEL = '_domainkey'

/** A DKIM selector: DNS labels joined by dots (RFC 6376 section 3.1), short enough for its record's full name. */
export function judgeSelector(text: string, domain: string): NameJudgement {
  const name = text.trim().toLowerCase()
  const fault = labelsFault(name)
  if (fault !== undefined) return { fault }
  if (dkimHost(name, domain).length > NAME_CHARS_MAX) {
    return { fault: `is too long: the record's name ${DKIM_LABEL}.${domain} leaves less room` }
  }
  return { name }
}

export function dkimHost(selector: string, domain: string): string {
  return `${selector}.${DKIM_LABEL}.${domain}`
}

/** The selector after one: its number counted up, `postroom` → `postroom2`, `s9` → `s10`; none of `taken`. */
export function nextSelector(selector: string, taken: ReadonlySet<string>): string {
  const [, base = selector, digits = '1'] = /^(.*?)(\d{1,9})?$/.exec(selector) ?? []
  // Shortened by as much as the number may grow, so that the label stays within its limit.
  const room = LABEL_CHARS_MAX - 10
  const stem = base.length > room && !base.includes('.') ? base.slice(0, room) : base
  for (let number = Number(digits) + 1; ; number += 1) {
    const next = `${stem}${number}`
    if (!taken.has(next)) return next
  }
}

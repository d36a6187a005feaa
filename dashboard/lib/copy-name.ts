import { cutText } from './cut-text.ts'

const NAME_CHARS_MAX = 200
const OF_COPY = ' (copy)'

/** The name of a copy, `Spring sale (copy)`, as long as names may be. */
export function copyName(name: string): string {
  return cutText(name, NAME_CHARS_MAX - OF_COPY.length) + OF_COPY
}

import { Drop } from 'liquidjs'

/** HTML that is finished: written as it stands. Any filter but the HTML ones takes it for the text it is. */
export class SafeHtml extends Drop {
  readonly html: string

  constructor(html: string) {
    super()
    this.html = html
  }

  override valueOf(): string {
    return this.html
  }
}

const ENTITY: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

export function escapeHtml(text: string): string {
  return /[&<>"']/.test(text) ? text.replace(/[&<>"']/g, (character) => ENTITY[character]!) : text
}

/** Entities that stand there already stay as they are. */
export function escapeHtmlOnce(text: string): string {
  return text.replace(/&(?!#?\w{1,31};)|[<>"']/g, (character) => ENTITY[character]!)
}

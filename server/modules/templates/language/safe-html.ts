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

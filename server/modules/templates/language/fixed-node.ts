import type { Context, Emitter, Template, TopLevelToken } from 'liquidjs'
import { FixedText } from '../../../platform/mail/mail-text.ts'

/** Text of a template that is long enough to be kept in the form that it has in a mail. */
const FIXED_CHARS_MIN = 100

/** Text between the tags and outputs of a template: the same in every message. */
export class FixedNode implements Template {
  readonly token: TopLevelToken
  readonly #text: string | FixedText

  constructor(token: TopLevelToken) {
    this.token = token
    const text = (token as TopLevelToken & { getContent(): string }).getContent()
    this.#text = text.length < FIXED_CHARS_MIN ? text : new FixedText(text)
  }

  render(_context: Context, emitter: Emitter): void {
    emitter.write(this.#text)
  }
}

import { QuoteType, Tokenizer } from 'htmlparser2'

/** An attribute of an opening tag; positions are offsets into the source. A value in quotes begins after them. */
export type HtmlAttribute = { name: string; begin: number; valueBegin: number; valueEnd: number; quoted: boolean }

export type HtmlToken =
  | { kind: 'text' | 'comment'; begin: number; end: number }
  | { kind: 'open'; begin: number; end: number; name: string; attributes: HtmlAttribute[]; selfClosing: boolean }
  | { kind: 'close'; begin: number; end: number; name: string }

export type OpenTag = Extract<HtmlToken, { kind: 'open' }>

/**
 * The tags, comments and texts of HTML or MJML, in order and without gaps; `<!doctype>`, `<?xml?>` and `<![CDATA[ ]]>`
 * are comments. Lenient as mail programs are, and linear in the length of the source whatever stands in it. A tag that
 * does not end is text, as it shows nothing either. The content of `script`, `style`, `textarea`, `title` and `xmp` is text.
 */
export function scanHtml(source: string): HtmlToken[] {
  const tokens: HtmlToken[] = []
  /** Up to where tokens and the text that is still growing go; whatever comes next begins here. */
  let at = 0
  let textBegin = 0
  let tag: OpenTag | undefined
  let attribute: HtmlAttribute | undefined

  const put = (token: HtmlToken) => {
    tokens.push(token)
    at = textBegin = token.end
  }
  const endText = () => {
    if (at > textBegin) put({ kind: 'text', begin: textBegin, end: at })
  }
  const comment = (_begin: number, last: number) => {
    endText()
    put({ kind: 'comment', begin: at, end: Math.min(last + 1, source.length) })
  }
  const endTag = (last: number, selfClosing: boolean) => {
    endText()
    if (tag !== undefined) put({ ...tag, selfClosing, end: last + 1 })
    tag = undefined
  }

  const tokenizer = new Tokenizer(
    { decodeEntities: false },
    {
      // A `<` that begins nothing comes as a text of its own.
      ontext: (_begin, end) => {
        at = Math.max(at, end)
      },
      oncomment: comment,
      oncdata: comment,
      ondeclaration: comment,
      onprocessinginstruction: comment,
      onclosetag(begin, nameEnd) {
        endText()
        const last = source.indexOf('>', nameEnd)
        const end = last === -1 ? source.length : last + 1
        put({ kind: 'close', begin: at, end, name: source.slice(begin, nameEnd).toLowerCase() })
      },
      onopentagname(begin, nameEnd) {
        const name = source.slice(begin, nameEnd).toLowerCase()
        tag = { kind: 'open', begin: at, end: nameEnd, name, attributes: [], selfClosing: false }
      },
      onattribname(begin, end) {
        const name = source.slice(begin, end).toLowerCase()
        attribute = { name, begin, valueBegin: end, valueEnd: end, quoted: false }
        tag?.attributes.push(attribute)
      },
      onattribdata(begin, end) {
        if (attribute !== undefined) Object.assign(attribute, { valueBegin: begin, valueEnd: end })
      },
      onattribend(quote) {
        if (attribute !== undefined) attribute.quoted = quote === QuoteType.Double || quote === QuoteType.Single
        attribute = undefined
      },
      onopentagend: (last) => endTag(last, false),
      onselfclosingtag: (last) => endTag(last, true),
      onattribentity: () => undefined,
      ontextentity: () => undefined,
      onend: () => undefined,
    },
  )
  tokenizer.write(source)
  tokenizer.end()
  at = source.length
  endText()
  return tokens
}

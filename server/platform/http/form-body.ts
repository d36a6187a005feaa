import type { HttpApp } from './http-app.ts'

/** Of a form that a person fills in. */
const FORM_BYTES_MAX = 16 * 1024
const FORM_TYPE = /^application\/x-www-form-urlencoded(?:\s*;|$)/i

/**
 * Has the routes of this app take what a browser's form sends, and nothing else: text by its field's name, the last of
 * several. To be used in an app of their own (`app.register`), or every route would take forms.
 */
export function takeForms(app: HttpApp): void {
  app.removeAllContentTypeParsers()
  const options = { parseAs: 'string', bodyLimit: FORM_BYTES_MAX } as const
  app.addContentTypeParser(FORM_TYPE, options, (_request, body: string, parsed) => {
    parsed(null, Object.fromEntries(new URLSearchParams(body)))
  })
}

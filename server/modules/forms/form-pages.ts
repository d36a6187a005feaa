import type { FastifyReply } from 'fastify'
import { Type } from 'typebox'
import { html } from '../../platform/html.ts'
import type { HttpApp } from '../../platform/http/http-app.ts'
import { closed } from '../../platform/schema/schemas.ts'
import { type ReaderPage, sendReaderPage } from '../readers/reader-page.ts'
import { fillHtml, readerTexts } from '../readers/reader-texts.ts'
import { linkPages, sendUnknownLink } from '../tracking/link-page.ts'
import { formMarkup } from './form-markup.ts'
import type { FieldFault } from './read-values.ts'
import { type FormShown, showForm } from './show-form.ts'
import type { TakeDeps } from './take-submission.ts'

const schema = { hide: true, params: closed({ formKey: Type.String() }) } as const

/** The page of a form, for whoever has none of their own: without a script, and without a cookie. */
export function formPages(app: HttpApp, deps: TakeDeps): void {
  linkPages(app, (pages) => {
    pages.get('/f/:formKey', { schema }, async (request, reply) => {
      const shown = await showForm(deps, request.params.formKey)
      return shown === undefined ? sendUnknownLink(reply) : sendFormPage(reply, shown)
    })

    pages.get('/f/:formKey/done', { schema }, async (request, reply) => {
      const shown = await showForm(deps, request.params.formKey)
      return shown === undefined ? sendUnknownLink(reply) : sendDone(reply, shown)
    })
  })
}

export type Refilled = {
  given?: Readonly<Record<string, unknown>>
  faults?: readonly FieldFault[]
  /** Above the form: what is to be done. */
  note?: string
  status?: number
}

/** The form, as it was filled in where something was wrong with it. */
export function sendFormPage(reply: FastifyReply, shown: FormShown, refilled: Refilled = {}): FastifyReply {
  return sendReaderPage(reply, formPage(shown, refilled))
}

export function formPage(shown: FormShown, { note, status = 200, ...filled }: Refilled = {}): ReaderPage {
  const { brand, form, renderToken, customNames } = shown
  const texts = readerTexts(brand.language)
  if (form.content.state === 'paused') {
    return {
      title: texts.closedTitle,
      content: html`<p>${fillHtml(texts.closedText, { name: brand.name })}</p>`,
      brand,
    }
  }
  const action = `/collect/forms/${form.key}`
  const content = html`<p>${fillHtml(texts.signUpText, { name: brand.name })}</p>
${note !== undefined && html`<p class="notice" role="alert">${note}</p>`}
${formMarkup({ formKey: form.key, action, content: form.content, texts, customNames, renderToken, ...filled })}`
  const { successUrl } = form.content
  return {
    ...{ title: texts.signUpTitle, content, brand },
    ...(successUrl === null ? {} : { formTarget: successUrl }),
    status,
  }
}

function sendDone(reply: FastifyReply, { brand }: FormShown): FastifyReply {
  const { newLinkTitle, checkMailText } = readerTexts(brand.language)
  return sendReaderPage(reply, { title: newLinkTitle, content: html`<p>${checkMailText}</p>`, brand })
}

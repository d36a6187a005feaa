import type { FastifyReply } from 'fastify'
import { type Html, html } from '../../platform/html.ts'
import { markupOf, type Page, sendPage } from '../../platform/http/page.ts'
import type { Brand } from './brand.ts'
import { readableOn } from './readable-on.ts'

/** A page for somebody who came by a link in a mail: one card with the mark of the workspace, and nothing of ours around it. */
export type ReaderPage = {
  title: string
  content: Html
  /** Null where no workspace is known. */
  brand: Brand | null
  language?: string
  /** Where a form of it leads in the end, if not to the brand's `confirmedUrl`. */
  formTarget?: string
  status?: number
}

/** Sends it, and tells search engines to leave it alone. */
export function sendReaderPage(reply: FastifyReply, page: ReaderPage): FastifyReply {
  return sendPage(reply.header('x-robots-tag', 'noindex'), wholeOf(page), page.status)
}

/** The document that is sent, for whoever looks at it before anybody is. */
export const readerMarkup = (page: ReaderPage): string => markupOf(wholeOf(page))

function wholeOf(page: ReaderPage): Page {
  const { title, content, brand, language = brand?.language ?? 'en' } = page
  const body = html`<main class="narrow">${mark(brand)}<div class="card"><h1>${title}</h1>${content}</div></main>`
  const colors = brand?.color ? { buttonColors: { back: brand.color, text: readableOn(brand.color) } } : {}
  const logo = brand?.logoUrl ? { imageOrigins: [new URL(brand.logoUrl).origin] } : {}
  const target = page.formTarget ?? brand?.confirmedUrl
  const targets = target ? { formTargets: [new URL(target).origin] } : {}
  return {
    title: brand === null ? title : `${title} · ${brand.name}`,
    body,
    language,
    ...colors,
    ...logo,
    ...targets,
  }
}

function mark(brand: Brand | null): Html | false {
  if (brand === null) return false
  const { name, logoUrl } = brand
  return html`<p class="mark">${logoUrl === null ? name : html`<img src="${logoUrl}" alt="${name}" referrerpolicy="no-referrer">`}</p>`
}

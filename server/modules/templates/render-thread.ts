import { parentPort } from 'node:worker_threads'
import { wholeText } from '../../platform/mail/mail-text.ts'
import { type ParsedTemplate, parseSources, type TemplateParts } from './language/parse-sources.ts'
import type { RenderJob, RenderResult } from './render-aside.ts'
import { RenderError, renderParts } from './render-parts.ts'

/** The template of the message before: most come in runs. */
let last: { parts: TemplateParts; parsed: ParsedTemplate } | undefined

function parsedOf(parts: TemplateParts): ParsedTemplate {
  const { subject, html, text } = parts
  if (last?.parts.html !== html || last.parts.text !== text || last.parts.subject !== subject) {
    last = { parts, parsed: parseSources(parts) }
  }
  return last.parsed
}

function render({ parts, textIsMade, variables, pixelUrl, rewritten }: RenderJob): RenderResult {
  const asked: [url: string, index: number][] = []
  const known = new Map(rewritten?.map(([url, index, address]) => [`${index} ${url}`, address]))
  const rewriteLink = (url: string, index: number) => {
    const address = known.get(`${index} ${url}`)
    if (address === undefined) asked.push([url, index])
    return address ?? url
  }
  try {
    const given = { textIsMade, variables, rewriteLink: rewritten && rewriteLink, pixelUrl }
    const mail = renderParts({ parsed: parsedOf(parts), ...given })
    return { outcome: 'rendered', mail: { ...mail, html: wholeText(mail.html) }, asked }
  } catch (error) {
    if (error instanceof RenderError) return { outcome: 'failed', field: error.field, detail: error.detail }
    return { outcome: 'broken', error: error instanceof Error ? `${error.stack}` : String(error) }
  }
}

parentPort?.on('message', (job: RenderJob) => parentPort?.postMessage(render(job)))
parentPort?.postMessage('ready')

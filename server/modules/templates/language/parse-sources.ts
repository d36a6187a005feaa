import type { Template } from 'liquidjs'
import { htmlEngine, textEngine } from './liquid-engine.ts'
import { parseLiquid } from './parse-liquid.ts'

/** The Liquid of a template's parts as they are rendered. */
export type TemplateParts = Readonly<Record<'subject' | 'html' | 'text', string>>
export type ParsedTemplate = Readonly<Record<'subject' | 'html' | 'text', readonly Template[]>>

export function parseSources({ subject, html, text }: TemplateParts): ParsedTemplate {
  return {
    subject: parseLiquid(textEngine, subject),
    html: parseLiquid(htmlEngine, html),
    text: parseLiquid(textEngine, text),
  }
}

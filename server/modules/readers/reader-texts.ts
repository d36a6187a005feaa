import { READER_LANGUAGES, type ReaderLanguage } from '../../catalogue/reader-languages.ts'
import { type Html, html } from '../../platform/html.ts'
import { da } from './texts/da.ts'
import { de } from './texts/de.ts'
import { en, type ReaderTexts } from './texts/en.ts'
import { es } from './texts/es.ts'
import { fr } from './texts/fr.ts'
import { it } from './texts/it.ts'
import { nl } from './texts/nl.ts'
import { pl } from './texts/pl.ts'
import { pt } from './texts/pt.ts'
import { sv } from './texts/sv.ts'

const TEXTS: Readonly<Record<ReaderLanguage, ReaderTexts>> = { en, de, fr, es, it, pt, nl, pl, sv, da }

export function readerTexts(language: ReaderLanguage): ReaderTexts {
  return TEXTS[language]
}

/** The language a browser asks for first, where no workspace is known; English for one that we do not write in. */
export function languageAsked(acceptLanguage: string | undefined): ReaderLanguage {
  const asked = acceptLanguage?.slice(0, 2).toLowerCase()
  return READER_LANGUAGES.find((language) => language === asked) ?? 'en'
}

/** A text with its `{names}` replaced, as text. */
export function fillText(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(/\{([a-z]{1,20})\}/g, (whole, key: string) => values[key] ?? whole)
}

/** The same as markup: values are escaped unless they are markup, and the workspace's name stands out. */
export function fillHtml(text: string, values: Readonly<Record<string, string | Html>>): Html {
  const parts = text.split(/\{([a-z]{1,20})\}/)
  return html`${parts.map((part, index) => {
    if (index % 2 === 0) return part
    const value = values[part] ?? ''
    return part === 'name' ? html`<strong>${value}</strong>` : value
  })}`
}

/** Languages that a workspace can write to its readers in, by their ISO 639 codes. */
export const READER_LANGUAGES = ['en', 'de', 'fr', 'es', 'it', 'pt', 'nl', 'pl', 'sv', 'da'] as const
export type ReaderLanguage = (typeof READER_LANGUAGES)[number]

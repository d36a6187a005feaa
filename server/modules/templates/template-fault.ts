export type TemplateField = 'subject' | 'body' | 'text'

/** A fault of a template, or something that could be better; `line` counts from 1 in the field. */
export type TemplateFault = { field: TemplateField; line: number | null; detail: string }

export type TemplateField = 'subject' | 'body' | 'text'

/** What is wrong with a template, or could be better; `line` counts from 1 in the field. */
export type TemplateFault = { field: TemplateField; line: number | null; detail: string }

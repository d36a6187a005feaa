/** A text as ProseMirror keeps it, and as its reader and writer hand it over. */
export type ProseNode = {
  type: string
  attrs?: ProseAttributes
  content?: ProseNode[]
  marks?: ProseMark[]
  text?: string
}
export type ProseMark = { type: string; attrs: ProseAttributes }
/**
 * Bytes of the source that a node or mark stands for: `open` and `close` its tags with the space within them, `before` the space
 * before it, `raw` all of it. `at` is where a tag stood, which tells it from its like and says which is around which.
 */
export type ProseAttributes = {
  before?: string
  open?: string
  close?: string
  raw?: string
  char?: string
  level?: number
  at?: number | null
}

/** Marks that are elements, by their names; all others that stand in a line are kept as they are. */
export const MARK_OF: Readonly<Record<string, string>> = {
  b: 'bold',
  strong: 'bold',
  i: 'italic',
  em: 'italic',
  a: 'link',
}

import { splitBlockAs } from '@tiptap/pm/commands'
import type { Mark, Node, ResolvedPos } from '@tiptap/pm/model'
import { liftListItem, splitListItem, wrapRangeInList } from '@tiptap/pm/schema-list'
import { type Command, type EditorState, TextSelection, type Transaction } from '@tiptap/pm/state'
import { setAttribute } from '../blocks/edit-mail.ts'
import { liquidOf, scanMail } from '../blocks/scan-mail.ts'

export type ListKind = 'bullets' | 'numbers'

/** A new line where words have no tag of their own, a new point in a list, and else a new paragraph. */
export const newLine: Command = (state, dispatch) => {
  const { $from } = state.selection
  const { item, paragraph } = state.schema.nodes
  if (item && $from.depth > 1 && $from.node(-1).type === item) {
    const isEmpty = $from.node(-1).childCount === 1 && $from.parent.content.size === 0
    return (isEmpty ? liftListItem(item) : splitListItem(item))(state, dispatch)
  }
  if ($from.parent.type.name === 'bare') return lineBreak(state, dispatch)
  return splitBlockAs((node, isAtEnd) => {
    if (!isAtEnd || node.type.name !== 'heading') return { type: node.type, attrs: node.attrs }
    return paragraph ? { type: paragraph, attrs: { before: node.attrs.before } } : null
  })(state, dispatch)
}

export const lineBreak: Command = (state, dispatch) => {
  dispatch?.(state.tr.replaceSelectionWith(state.schema.nodes.break!.create(), true).scrollIntoView())
  return true
}

/** A list of the lines that are chosen, or lines again of such a list. */
export function toggleList(kind: ListKind): Command {
  return (state, dispatch) => {
    const { item, [kind]: list } = state.schema.nodes
    if (!item || !list) return false
    const within = listAround(state.selection.$from)
    if (within?.node.type === list) return liftListItem(item)(state, dispatch)
    if (within) {
      dispatch?.(state.tr.setNodeMarkup(within.pos, list, { before: within.node.attrs.before }))
      return true
    }
    const tr = linesApart(state)
    const { $from, $to } = tr.selection
    const range = $from.blockRange($to)
    if (range === null || !wrapRangeInList(tr, range, list)) return false
    dispatch?.(tr.scrollIntoView())
    return true
  }
}

export function listAround($pos: ResolvedPos): { node: Node; pos: number } | undefined {
  for (let depth = $pos.depth; depth > 0; depth -= 1) {
    const node = $pos.node(depth)
    if (node.type.name === 'bullets' || node.type.name === 'numbers') return { node, pos: $pos.before(depth) }
  }
  return undefined
}

/** Makes blocks of the chosen lines, which stand between breaks. */
function linesApart(state: EditorState): Transaction {
  const { tr, selection, doc } = state
  const breaks: number[] = []
  const [from, to] = [selection.$from.start(), selection.$to.end()]
  doc.nodesBetween(from, to, (node, pos, parent) => {
    if (node.type.name === 'break' && parent?.type.name === 'bare') breaks.push(pos)
  })
  const before = breaks.findLast((pos) => pos < selection.from)
  const behind = breaks.find((pos) => pos >= selection.to)
  const apart = breaks.filter(
    (pos) => pos === before || pos === behind || (pos >= selection.from && pos < selection.to),
  )
  for (const pos of apart.reverse()) tr.delete(pos, pos + 1).split(pos)
  return tr
}

/** The address of the link at the selection. */
export function linkAt(state: EditorState): string | undefined {
  const mark = linkMarks(state)[0]?.mark
  return mark && hrefOf(String(mark.attrs.open))
}

/** Links the selection with the links it reaches into, the link that the caret is at, or else the address as words. */
export function setLink(href: string): Command {
  return (state, dispatch) => {
    const { link } = state.schema.marks
    if (!link) return false
    const { tr } = state
    const fresh = link.create({ open: withHref('<a>', href) })
    const found = linkMarks(state)
    const { from: begin, to: end, empty } = state.selection
    if (!empty) tr.addMark(begin, end, fresh)
    for (const { from, to, mark } of found) {
      tr.addMark(from, to, link.create({ ...mark.attrs, open: withHref(String(mark.attrs.open), href) }))
    }
    if (empty && found.length === 0)
      tr.replaceSelectionWith(state.schema.text(href, [...state.selection.$from.marks(), fresh]), false)
    dispatch?.(tr)
    return true
  }
}

export const removeLink: Command = (state, dispatch) => {
  const { tr } = state
  for (const { from, to, mark } of linkMarks(state)) tr.removeMark(from, to, mark)
  dispatch?.(tr)
  return tr.docChanged
}

/** Links that the selection reaches into, or that the caret touches, each over its whole length. */
function linkMarks({ doc, selection }: EditorState): { from: number; to: number; mark: Mark }[] {
  const found: { from: number; to: number; mark: Mark }[] = []
  doc.nodesBetween(selection.$from.start(), selection.$to.end(), (node, pos) => {
    const mark = node.isInline ? node.marks.find(({ type }) => type.name === 'link') : undefined
    if (mark === undefined) return
    const last = found.at(-1)
    if (last?.to === pos && last.mark.eq(mark)) last.to = pos + node.nodeSize
    else found.push({ from: pos, to: pos + node.nodeSize, mark })
  })
  const { from, to, empty } = selection
  return found.filter((link) => (empty ? link.from <= to && link.to >= from : link.from < to && link.to > from))
}

export function hrefOf(open: string): string {
  const [token] = scanMail(open, liquidOf(open))
  const found = token?.kind === 'open' ? token.attributes.find(({ name }) => name === 'href') : undefined
  return (found?.value ?? '').replaceAll('&quot;', '"')
}

function withHref(open: string, href: string): string {
  const [token] = scanMail(open, liquidOf(open))
  if (token?.kind !== 'open') return open
  return setAttribute(token, 'href', href).changes.reduceRight(
    (text, { from, to, insert }) => text.slice(0, from) + insert + text.slice(to),
    open,
  )
}

export function insertValue(raw: string): Command {
  return (state, dispatch) => {
    dispatch?.(state.tr.replaceSelectionWith(state.schema.nodes.value!.create({ raw }), true).scrollIntoView())
    return true
  }
}

/** Takes over what was changed elsewhere; the caret stays as near to where it was as can be. */
export function takeOver(state: EditorState, doc: Node): Transaction {
  const { tr } = state
  const begin = state.doc.content.findDiffStart(doc.content)
  const ends = state.doc.content.findDiffEnd(doc.content)
  if (begin === null || ends === null) return tr
  const overlap = Math.max(0, begin - Math.min(ends.a, ends.b))
  tr.replace(begin, ends.a + overlap, doc.slice(begin, ends.b + overlap))
  const caret = Math.min(state.selection.from, tr.doc.content.size)
  return tr.setSelection(TextSelection.near(tr.doc.resolve(caret)))
}

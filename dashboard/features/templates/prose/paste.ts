import { Fragment, type Mark, type Schema, Slice } from '@tiptap/pm/model'
import { liquidOf } from '../blocks/scan-mail.ts'
import { withStraightQuotes } from './value-text.ts'

/** Pasted text: its lines, and its Liquid as values, all with the marks of where it is put. */
export function clipboardWords(schema: Schema, text: string, marks: readonly Mark[] = []): Slice {
  const nodes = withStraightQuotes(text)
    .replaceAll('\r', '')
    .split('\n')
    .flatMap((line, index) => {
      const begin = index === 0 ? [] : [schema.nodes.break!.create(null, null, marks)]
      let from = 0
      const words = [...liquidOf(line), { begin: line.length, end: line.length }].flatMap((liquid) => {
        const before = line.slice(from, liquid.begin)
        const raw = line.slice(liquid.begin, liquid.end)
        from = liquid.end
        return [
          ...(before === '' ? [] : [schema.text(before, marks)]),
          ...(raw === '' ? [] : [schema.nodes.value!.create({ raw }, null, marks)]),
        ]
      })
      return [...begin, ...words]
    })
  return new Slice(Fragment.from(nodes), 0, 0)
}

/** What was copied here, to the byte, when that is what is pasted. */
export function keptSlice(
  schema: Schema,
  copied: { slice: Slice; html: string } | undefined,
  html: string | undefined,
): Slice | undefined {
  if (copied === undefined || html === undefined || html === '' || copied.html !== html) return undefined
  return Slice.fromJSON(schema, copied.slice.toJSON())
}

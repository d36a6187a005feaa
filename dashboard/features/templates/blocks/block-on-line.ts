import { type Block, blocksOf, isBlock, type Mail } from './read-mail.ts'

/** The block that a line of the source is about: the one with words or the like on it, or else the one that opens there. */
export function blockOnLine(mail: Mail, line: number): Block | undefined {
  const lines = mail.source.split('\n')
  const begin = lines.slice(0, line - 1).reduce((sum, { length }) => sum + length + 1, 0)
  const end = begin + (lines[line - 1]?.length ?? 0)
  const meets = (from: number, to: number) => from <= end && to > begin
  const all = blocksOf(mail)
  const inner = all.filter((block) => !block.children.some(isBlock) && meets(block.begin, block.end))
  const found = inner.length > 0 ? inner : all.filter((block) => meets(block.begin, block.openEnd))
  return found.length === 1 ? found[0] : undefined
}

import { blockName } from './block-kinds.ts'
import { rowsOf } from './block-rows.ts'
import type { Block, Mail } from './read-mail.ts'

/** A block's text as it stands by itself: its further lines are moved out as far as its first was in. */
export function textOfBlock({ source }: Pick<Mail, 'source'>, block: Block): string {
  const lineBegin = source.lastIndexOf('\n', block.begin - 1) + 1
  const indent = /^[ \t]*/.exec(source.slice(lineBegin, block.begin))![0]
  return source
    .slice(block.begin, block.end)
    .replaceAll('\r\n', '\n')
    .split('\n')
    .map((line, index) => (index > 0 && line.startsWith(indent) ? line.slice(indent.length) : line))
    .join('\n')
}

const NAME_CHARS_MAX = 60

/** A name to begin with: what it says, else what it is. */
export function nameOfBlock(mail: Mail, block: Block): string {
  const rows = rowsOf(mail).filter(({ node }) => node.begin >= block.begin && node.end <= block.end)
  const words = rows.find((row) => row.words !== '')?.words ?? ''
  return (words === '' ? blockName(block.name) : words).slice(0, NAME_CHARS_MAX)
}

import type { Finding, SourceFile } from './source-files.ts'

/** More than a screen holds: such a function is several. */
const FUNCTION_LINES_MAX = 70

const FUNCTION =
  /^( *)(?:export )?(?:async )?function\*? ?(\w+)|^( *)(?:export )?const (\w+) = (?:async )?(?:<.*>)?\(.*=> \{$/

/** Functions with more lines than allowed. The formatter ends each on a line of its own, as far in as it began. */
export function functionFindings({ path, text }: SourceFile): Finding[] {
  const lines = text.split('\n')
  return lines.flatMap((line, start) => {
    const match = FUNCTION.exec(line)
    if (match === null) return []
    const [indent = '', name = ''] = match[1] === undefined ? [match[3], match[4]] : [match[1], match[2]]
    const count = lengthOf(lines.slice(start), indent)
    if (count <= FUNCTION_LINES_MAX) return []
    const message = `${name} has ${count} lines, at most ${FUNCTION_LINES_MAX} are allowed in a function`
    return [{ path, line: start + 1, message }]
  })
}

/** Lines up to the bracket that ends what begins with the first one; an overload or a line of its own has one. */
function lengthOf([first = '', ...rest]: readonly string[], indent: string): number {
  if (/[^{(]$/.test(first)) return 1
  const end = rest.findIndex((line) => line === `${indent}}` || line === `${indent}})`)
  return end === -1 ? rest.length + 1 : end + 2
}

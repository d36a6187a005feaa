import { type Finding, lineAt, type SourceFile } from './source-files.ts'

/** The first word of a sentence, at the beginning of a comment's line or behind the end of another sentence. */
const BEGUN_WITH =
  /^(?:[ \t]*(?:\/\*+|\*|--)|.*(?<!:)\/\/)[ \t]+(?:.*?[.!?:;] )?(What|Who|Whoever|Whatever|Whom|Whose)\b/gm

/** Sentences in the comments of server/ that make a reader wait for their noun. */
export function commentFindings(sources: readonly SourceFile[]): Finding[] {
  return sources
    .filter(({ path }) => path.startsWith('server/'))
    .flatMap(({ path, text }) =>
      [...text.matchAll(BEGUN_WITH)].map((match) => ({
        path,
        line: lineAt(text, match.index),
        message: `begins a sentence with ${match[1]}: begin with the noun it is about`,
      })),
    )
}

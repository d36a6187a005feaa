import { type Finding, importsOf, type SourceFile } from './source-files.ts'

/** The part of the client that is made from the description of the API (`sdk-sources.ts`). */
export const SDK_SOURCES = 'sdk/src/generated'

/** Imports of the client that a user who installs it would have to have as well, or that only some platforms have. */
export function sdkFindings(files: readonly SourceFile[]): Finding[] {
  return files
    .filter(({ path }) => path.startsWith('sdk/src/'))
    .flatMap(({ path, text }) =>
      importsOf(text)
        .filter(({ specifier }) => !specifier.startsWith('.'))
        .map(({ specifier, line }) => ({
          path,
          line,
          message: `imports ${specifier}: the client has its own files alone`,
        })),
    )
}

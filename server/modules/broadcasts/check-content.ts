import type { Check } from './preflight-schemas.ts'
import type { BroadcastContent } from './queries.ts'

export type ContentDeps = Record<never, never>

/** What is wrong with what a broadcast says. */
export async function checkContent(
  _deps: ContentDeps,
  _workspaceId: string,
  content: BroadcastContent,
): Promise<{ checks: Check[]; htmlBytes: number | null }> {
  const missing = (code: Check['code'], field: string, detail: string): Check[] => [
    { code, severity: 'error', field, line: null, detail },
  ]
  return {
    checks: [
      ...(content.subject.trim() === '' ? missing('subject_missing', 'subject', 'It has no subject.') : []),
      ...(content.body.trim() === '' ? missing('body_missing', 'body', 'It has no body.') : []),
    ],
    htmlBytes: null,
  }
}

import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useRef, useState } from 'react'
import { isProblem, type SiteProblem } from '../../lib/problem.ts'
import { site } from '../../lib/site.ts'
import type { TemplatePreview } from '../../lib/site-types.ts'
import type { LineFault } from './code-editor.tsx'

/** Words that are typed one after the other are read once they rest; what is changed after as long a rest is read at once. */
const REST_MS = 200

export type MailText = { subject: string; body: string; text: string | null }

export type Preview = {
  /** The last one that could be made. */
  preview: TemplatePreview | undefined
  /** Faults and warnings of the body, each with its line. */
  faults: readonly LineFault[]
  /** What is wrong with the subject. */
  subjectFault: string | undefined
  /** Why there is none that has nothing to do with the text. */
  problem: SiteProblem | undefined
  isBehind: boolean
}

/**
 * What the server makes of a text while it is written, as a contact would get it or, without one, a sample person. What it
 * made last stays until the next is there; a request that is overtaken is ended. Each element is marked with its place in the
 * text, so that it can be chosen where it is seen.
 */
export function usePreview(source: MailText, contactId: string): Preview {
  const { subject, body, text } = source
  const [shown, setShown] = useState<MailText>({ subject, body, text })
  /** When it was last changed, or asked for. */
  const stirredMs = useRef(Number.NEGATIVE_INFINITY)
  useEffect(() => {
    const hasRested = performance.now() - stirredMs.current > REST_MS
    stirredMs.current = performance.now()
    const ask = () => {
      stirredMs.current = performance.now()
      setShown({ subject, body, text })
    }
    const timer = setTimeout(ask, hasRested ? 0 : REST_MS)
    return () => clearTimeout(timer)
  }, [subject, body, text])
  const sent = { ...shown, marks: true, ...(contactId === '' ? {} : { contactId }) }
  const read = useQuery<TemplatePreview, SiteProblem>({
    queryKey: ['preview of a text', sent],
    queryFn: ({ signal }) => site('POST /templates/preview', { body: sent, signal }),
    placeholderData: keepPreviousData,
    enabled: shown.body.trim() !== '',
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
  })
  const { error } = read
  const isOfText = isProblem(error, 422)
  const made = isOfText ? undefined : read.data
  // The same list until there is another: it is drawn into the text.
  const faults = useMemo(() => [...faultsOf(isOfText ? error : null), ...warningsOf(made)], [isOfText, error, made])
  return {
    preview: shown.body.trim() === '' ? undefined : read.data,
    faults,
    subjectFault: isOfText
      ? error.errors.find(({ pointer }) => pointer === '/subject')?.detail.replace(/^line 1: /, '')
      : undefined,
    problem: isOfText ? undefined : (error ?? undefined),
    isBehind: read.isFetching || shown.body !== body || shown.subject !== subject,
  }
}

const LINE = /^line (\d+): (.*)$/s

function faultsOf(problem: SiteProblem | null): LineFault[] {
  return (problem?.errors ?? [])
    .filter(({ pointer }) => pointer !== '/subject')
    .map(({ detail }) => {
      const [, line, rest] = LINE.exec(detail) ?? []
      return { line: line === undefined ? null : Number(line), detail: rest ?? detail, severity: 'error' as const }
    })
}

function warningsOf(preview: TemplatePreview | undefined): LineFault[] {
  return (preview?.warnings ?? [])
    .filter(({ pointer }) => pointer === '/body')
    .map(({ line, detail }) => ({ line, detail, severity: 'warning' as const }))
}

import type { ErrorComponentProps } from '@tanstack/react-router'
import { isProblem } from '../lib/problem.ts'
import { Button } from '../ui/controls.tsx'
import { PageHeader } from '../ui/page-header.tsx'
import { EmptyState, ErrorState } from '../ui/states.tsx'

/** A page that broke; all around it goes on. */
export function PageFault({ error, reset }: ErrorComponentProps) {
  if (isProblem(error)) return <ErrorState problem={error} onRetry={reset} />
  return (
    <>
      <PageHeader title="This page has a fault" />
      <EmptyState
        title="It could not be shown"
        actions={
          <Button kind="primary" onClick={() => location.reload()}>
            Load it again
          </Button>
        }
      >
        Nothing was changed. The fault is ours: <code>{error instanceof Error ? error.message : String(error)}</code>
      </EmptyState>
    </>
  )
}

import { ButtonLink } from '../ui/link.tsx'
import { PageHeader } from '../ui/page-header.tsx'
import { EmptyState } from '../ui/states.tsx'

export default function NotFoundPage() {
  return (
    <>
      <PageHeader title="Nothing here" />
      <EmptyState title="There is no page at this address" actions={<ButtonLink to="/">To the beginning</ButtonLink>}>
        The link may be old, or what it led to was deleted.
      </EmptyState>
    </>
  )
}

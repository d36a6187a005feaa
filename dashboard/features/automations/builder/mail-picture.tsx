import { useQuery } from '@tanstack/react-query'
import { useDeferredValue, useRef } from 'react'
import { useCan } from '../../../lib/permissions.ts'
import type { SiteProblem } from '../../../lib/problem.ts'
import { site } from '../../../lib/site.ts'
import type { TemplatePreview } from '../../../lib/site-types.ts'
import { MailThumbnail } from '../../../ui/mail-thumbnail.tsx'
import { useWasSeen } from '../../../ui/use-was-seen.ts'
import { type FlowNode, record, text } from '../flow-node.ts'
import classes from './mail-picture.module.css'

/** The upper part of a step's mail as a sample person gets it. It is made once it is seen; of a mail with a fault the step says so. */
export default function MailPicture({ node, large = false }: { node: FlowNode; large?: boolean }) {
  const place = useRef<HTMLDivElement>(null)
  const can = useCan()
  const subject = useDeferredValue(text(node.subject))
  const body = useDeferredValue(text(node.body))
  const template = text(record(node.template).id)
  const isWanted = useWasSeen(place) && can('templates:read') && (template !== '' || body !== '')
  const preview = useQuery<TemplatePreview, SiteProblem>({
    queryKey: ['picture of a mail', template, subject, body],
    queryFn: ({ signal }) =>
      template === ''
        ? site('POST /templates/preview', { body: { subject: subject || ' ', body }, signal })
        : site('POST /templates/{id}/preview', { params: { id: template }, body: {}, signal }),
    enabled: isWanted,
    staleTime: Number.POSITIVE_INFINITY,
    placeholderData: (before) => before,
    retry: false,
  })
  return (
    <div ref={place} className={classes.picture} data-large={large || undefined} data-mail-picture>
      {preview.data && <MailThumbnail html={preview.data.html} title={`The mail “${preview.data.subject}”`} />}
    </div>
  )
}

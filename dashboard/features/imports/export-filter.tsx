import { Fragment, type ReactNode } from 'react'
import { dateText } from '../../lib/format.ts'
import type { ContactExport } from '../../lib/site-types.ts'
import { SegmentName } from '../segments/segment-name.tsx'

/** Whom an export holds, in the words of the filters that narrowed the list. */
export function ExportFilter({ filter }: { filter: ContactExport['filter'] }) {
  const { search, email, subjectId, phone, tag, segmentId, updatedSince, customField } = filter
  const parts: ReactNode[] = [
    search && `“${search}” in name, address, phone or id`,
    email && `Address ${email}`,
    subjectId && `Your id ${subjectId}`,
    phone && `Phone ${phone}`,
    tag && `Tag ${tag}`,
    segmentId && (
      <>
        Segment <SegmentName id={segmentId} />
      </>
    ),
    customField && `Field ${customField.replace(':', ' is ')}`,
    updatedSince && `Changed since ${dateText(updatedSince)}`,
  ].filter(Boolean)
  if (parts.length === 0) return <>Everybody</>
  return (
    <>
      {parts.map((part, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a filter never move
        <Fragment key={index}>
          {index > 0 && ', '}
          {part}
        </Fragment>
      ))}
    </>
  )
}

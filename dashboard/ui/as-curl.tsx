import { useState } from 'react'
import { lazyPart } from '../lib/load-part.ts'
import type { ApiOperation, Operations } from '../lib/site-types.ts'
import { Button } from './controls.tsx'
import { Terminal2Icon } from './icons.tsx'

const CurlDialog = lazyPart(() => import('./curl-dialog.tsx'))

export type CurlRequest<K extends ApiOperation> = {
  operation: K
  params?: Operations[K]['params']
  query?: Operations[K]['query']
  body?: Operations[K]['body']
}

/** The same request for a program: the page's own filters in it, and a token where the session was. */
export function AsCurl<K extends ApiOperation>(request: CurlRequest<K>) {
  const [opened, setOpened] = useState(false)
  return (
    <>
      <Button kind="quiet" icon={Terminal2Icon} onClick={() => setOpened(true)}>
        As curl
      </Button>
      {opened && <CurlDialog request={request as CurlRequest<ApiOperation>} onClose={() => setOpened(false)} />}
    </>
  )
}

import { useState } from 'react'
import { sizeText } from '../../lib/format.ts'
import { useCan } from '../../lib/permissions.ts'
import type { Asset } from '../../lib/site-types.ts'
import { useAct, useSite } from '../../lib/use-site.ts'
import { pageNumber, useUrlState } from '../../lib/use-url-state.ts'
import { AsCurl } from '../../ui/as-curl.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { IconButton } from '../../ui/controls.tsx'
import { Copyable } from '../../ui/copyable.tsx'
import { Pager } from '../../ui/data-table.tsx'
import { FileField } from '../../ui/file-field.tsx'
import { TrashIcon } from '../../ui/icons.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { PhotoIcon } from '../../ui/rare-icons.tsx'
import { EmptyState, Shown } from '../../ui/states.tsx'
import { TemplateTabs } from '../templates/template-tabs.tsx'
import { AssetPicture } from './asset-picture.tsx'
import classes from './assets.module.css'
import { HEAVY_BYTES, IMAGE_TYPES, useUpload } from './use-upload.ts'

const PAGE_SIZE = 24

/** Pictures for mails, each at an address that never shows anything else. */
export default function AssetsPage() {
  const can = useCan()
  const mayWrite = can('templates:write')
  const [url, setUrl] = useUrlState({ page: '1' })
  const [deleted, setDeleted] = useState<Asset>()
  const [isBusy, setBusy] = useState(false)
  const query = { page: pageNumber(url.page), pageSize: PAGE_SIZE }
  const assets = useSite('GET /assets', { query }, { keep: true })
  const remove = useAct('DELETE /assets/{id}', { changes: ['/assets'] })
  const upload = useUpload()
  const add = async (file: File) => {
    setBusy(true)
    await upload(file)
    setBusy(false)
  }
  return (
    <>
      <PageHeader title="Images" actions={<AsCurl operation="GET /assets" query={query} />}>
        Pictures for your mails. Everybody who has the address of one can see it.
      </PageHeader>
      <TemplateTabs />
      {mayWrite && (
        <FileField
          label="Drop an image here: PNG, JPEG, GIF or WebP; large photos are made smaller"
          accept={IMAGE_TYPES}
          busy={isBusy}
          onFile={(file) => void add(file)}
        />
      )}
      <Shown read={assets}>
        {(page) =>
          page.totalItems === 0 ? (
            <EmptyState title="No images yet" icon={PhotoIcon}>
              An image that you upload, or drop on a mail while you write it, is kept here.
            </EmptyState>
          ) : (
            <>
              <ul className={classes.grid} aria-label="Images">
                {page.items.map((asset) => (
                  <li key={asset.id} className={classes.card}>
                    <AssetPicture asset={asset} />
                    <div className={classes.facts}>
                      <span className={classes.name}>{asset.name}</span>
                      <span className="soft numbers">
                        {asset.width} × {asset.height}, {sizeText(asset.bytes)}
                        {asset.bytes > HEAVY_BYTES && ', large for a mail'}
                      </span>
                      <span className={classes.acts}>
                        <Copyable text={asset.url} label="Address" what={`the address of ${asset.name}`} plain />
                        {mayWrite && (
                          <IconButton
                            label={`Delete ${asset.name}`}
                            icon={TrashIcon}
                            onClick={() => setDeleted(asset)}
                          />
                        )}
                      </span>
                    </div>
                  </li>
                ))}
              </ul>
              <Pager {...page} noun="image" onPage={(next, how) => setUrl({ page: String(next) }, how)} />
            </>
          )
        }
      </Shown>
      {deleted && (
        <ConfirmDialog
          title="Delete this image"
          opened
          onClose={() => setDeleted(undefined)}
          action="Delete image"
          danger
          onConfirm={() => remove.mutateAsync({ params: { id: deleted.id } })}
        >
          <p>Mails that show “{deleted.name}” have a gap there from now on, those that were sent too.</p>
        </ConfirmDialog>
      )}
    </>
  )
}

import { fileURLToPath } from 'node:url'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  base: '/app/',
  plugins: [react()],
  // The Liquid language brings the grammars of HTML, CSS and scripts along; mails are read as XML.
  resolve: { alias: { '@codemirror/lang-html': fileURLToPath(new URL('./no-html.ts', import.meta.url)) } },
  html: { cspNonce: '__POSTROOM_NONCE__' },
  cacheDir: fileURLToPath(new URL('../node_modules/.cache/vite', import.meta.url)),
  build: {
    target: 'es2023',
    manifest: true,
    // A policy that allows `data:` fonts or scripts would be a weaker one.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // Pages are held to their bytes as they travel, by `test/browser/size.test.ts`; kB here, of what is unpacked.
    chunkSizeWarningLimit: 1_000,
    // The entry names every file, and what is random in a name cannot be compressed: eight digits tell versions apart as well.
    // What every page begins with is one file: thirty small ones are asked for one by one and compress worse.
    rolldownOptions: {
      output: { hashCharacters: 'hex', codeSplitting: { groups: [{ name: 'first', tags: ['$initial'] }] } },
    },
  },
})

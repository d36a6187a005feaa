import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vite'

/** One classic script, without a global of its own, for every browser that has ES2020. */
export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  cacheDir: fileURLToPath(new URL('../../node_modules/.cache/vite-forms', import.meta.url)),
  build: {
    target: 'es2020',
    lib: { entry: 'f.ts', formats: ['iife'], name: 'postroomForms', fileName: () => 'f.js' },
    minify: true,
    reportCompressedSize: false,
  },
})

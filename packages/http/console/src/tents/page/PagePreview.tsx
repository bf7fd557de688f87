// The current version of a page in the frame, as on a desktop or a phone.
import { Button, Group, Paper, Skeleton, Stack } from "@mantine/core"
import type { Tent } from "@tentpole/client"
import { keepPreviousData, useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { queryOf } from "../../api/queries.ts"
import { Problem } from "../../parts/Problem.tsx"
import { PhoneChoice, ScaledPreview } from "../../parts/preview/ScaledPreview.tsx"
import { useWords } from "../../words/Words.tsx"

const phone_px = 390
/** Pages are made for this width. A narrower place shows them smaller, as a whole. */
const desktop_px = 1_200
const page_height_px = 640

interface FrameProps {
  readonly html: string
  readonly isPhone: boolean
  readonly hasPictures: boolean
  readonly height_px: number
}

export const PageFrame = ({ hasPictures, ...rest }: FrameProps) => {
  const { one } = useWords("tents")
  return <ScaledPreview {...rest} title={one} phone_px={phone_px} desktop_px={desktop_px} pictures={hasPictures} />
}

/** The HTML of a version. */
export const contentOf = (tentId: string, version: number) =>
  queryOf("tents", "content", { params: { tentId }, query: { version } })

export const PagePreview = ({ tent }: { readonly tent: Tent }) => {
  const words = useWords("tents")
  const { preview } = useWords("shell")
  const [isPhone, setPhone] = useState(false)
  const [hasPictures, setPictures] = useState(false)
  const found = useQuery({ ...contentOf(tent.id, tent.current_version), placeholderData: keepPreviousData })
  if (found.isPending) return <Skeleton className="late" h={page_height_px} radius="lg" />
  if (found.isError) return <Problem error={found.error} onRetry={found.refetch} />
  return (
    <Paper p="sm" component="section" aria-label={preview.title}>
      <Stack gap="sm">
        <Group justify="space-between">
          <PhoneChoice label={words.showAs} isOn={isPhone} onChange={setPhone} />
          <Button size="compact-xs" variant="subtle" color="gray" onClick={() => setPictures(!hasPictures)}>
            {hasPictures ? words.hidePictures : preview.pictures}
          </Button>
        </Group>
        <PageFrame html={found.data} isPhone={isPhone} hasPictures={hasPictures} height_px={page_height_px} />
      </Stack>
    </Paper>
  )
}

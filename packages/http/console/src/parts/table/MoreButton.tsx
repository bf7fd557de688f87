// The button below a short listing that loads its next entries. Absent when there are none.
import { Button } from "@mantine/core"

interface Pages {
  readonly hasNextPage: boolean
  readonly isFetchingNextPage: boolean
  readonly fetchNextPage: () => Promise<unknown>
}

export const MoreButton = ({ children, pages }: { readonly pages: Pages; readonly children: string }) =>
  pages.hasNextPage ? (
    <Button
      mt="md"
      size="compact-sm"
      variant="default"
      loading={pages.isFetchingNextPage}
      onClick={() => void pages.fetchNextPage()}
    >
      {children}
    </Button>
  ) : null

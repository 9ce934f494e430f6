// The page's own files (page/), as they are put into the program when it is built (page/embed.cmake).
#ifndef HLOSCOPE_VISUALIZER_EXPORT_PAGE_FILES_H_
#define HLOSCOPE_VISUALIZER_EXPORT_PAGE_FILES_H_

namespace hloscope {

extern const char kPageHtml[], kPageStyle[], kPageScript[];

}  // namespace hloscope

#endif  // HLOSCOPE_VISUALIZER_EXPORT_PAGE_FILES_H_

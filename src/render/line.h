// Anti-aliased lines as coverage: every pixel near the segment is reported once with the fraction that the line covers.
#ifndef RENDER_LINE_H
#define RENDER_LINE_H

// `along` is 0 at the first end and 1 at the second.
typedef void line_pixel(void *context, int x, int y, float coverage, float along);

// A segment with round ends in pixel coordinates (the centre of the top left pixel is 0.5, 0.5), clipped to the
// picture.
void line_cover(float x0, float y0, float x1, float y1, float thickness, int width, int height, line_pixel *pixel,
		void *context);

#endif

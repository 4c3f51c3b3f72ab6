// Series of a queue's figures over time.
#include "views/json/json.h"
#include "views/json/or_null.h"

namespace weir {
namespace {

Json figures_json(const SeriesView::Figures& figures) {
  return {{"guaranteed", figures.guaranteed},
          {"allocated", figures.allocated},
          {"running", figures.running},
          {"pending", figures.pending},
          {"share_thousandths", or_null(figures.share_thousandths)},
          {"claims", figures.claims},
          {"kills", figures.kills},
          {"running_thousandths", or_null(figures.running_thousandths)},
          {"lent_thousandths", or_null(figures.lent_thousandths)},
          {"borrowed_thousandths", or_null(figures.borrowed_thousandths)}};
}

}  // namespace

Json to_json(const SeriesView& series) {
  Json points = Json::array();
  for (const SeriesView::Point& point : series.points) {
    Json json = {{"t", point.at_ms},
                 {"map", figures_json(point.maps)},
                 {"reduce", figures_json(point.reduces)}};
    for (const SeriesView::Amounts& each : point.amounts)
      json["dimensions"][each.dimension] = figures_json(each.figures);
    points.push_back(std::move(json));
  }
  return {{"queue", series.queue}, {"step_ms", series.step_ms}, {"points", std::move(points)}};
}

}  // namespace weir
